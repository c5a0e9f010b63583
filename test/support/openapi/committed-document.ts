import { readDocument } from '../../../services/query/docs/read-document.ts';
import type { ApiDocument, OperationObject } from './document.ts';

export const committedDocument = (): ApiDocument => readDocument() as unknown as ApiDocument;

export interface ListedOperation {
  /** With parameters in braces. */
  readonly path: string;
  /** In lower case. */
  readonly method: string;
  readonly operation: OperationObject;
}

/** Every operation of a document, the committed one unless given, in its order. */
export const listOperations = ({ paths } = committedDocument()): ListedOperation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
