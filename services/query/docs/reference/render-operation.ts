import { escapeHtml } from '../markdown/escape-html.ts';
import type {
  Answer,
  ApiDocument,
  Media,
  OperationObject,
  Parameter,
  Reference,
} from '../openapi/document.ts';
import { renderSchema, typeText } from './render-schema.ts';
import { renderTryIt } from './render-try-it.ts';

/** An operation with its place in the document. */
export interface PlacedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** One operation: how to ask, what comes back, and a form to try it where scripts may run. */
export function renderOperation(api: ApiDocument, placed: PlacedOperation): string {
  const { method, path, operation } = placed;
  const parameters = operation.parameters.map((given) => followed(api.components.parameters, given));
  const body = operation.requestBody?.content['application/json'];
  return `<section aria-labelledby="operation-${operation.operationId}">
<h3 id="operation-${operation.operationId}"><span class="method">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code></h3>
<p>${escapeHtml(operation.summary)}.</p>
<p class="soft">${lockText(operation)} · operationId <code>${operation.operationId}</code></p>
${parameters.length === 0 ? '' : renderParameters(parameters)}
${body === undefined ? '' : `<h4>Body</h4>${renderSchema(body.schema)}`}
${Object.entries(operation.responses)
  .map(([status, given]) => renderAnswer(api, status, given))
  .join('\n')}
${renderExample(placed)}
${renderTryIt(placed, parameters, body?.example)}
</section>`;
}

function lockText({ security }: OperationObject): string {
  const [first] = security;
  if (first === undefined) return 'Public, without a key';
  return 'ApiKey' in first ? 'With <code>X-API-Key</code>' : 'With <code>Authorization: Bearer</code>';
}

function renderParameters(parameters: readonly Parameter[]): string {
  const rows = parameters.map(
    ({ name, in: place, required, description = '', schema }) =>
      `<tr><th scope="row"><code>${escapeHtml(name)}</code></th><td>${place}${required ? ', required' : ''}</td><td>${escapeHtml(typeText(schema))}</td><td>${escapeHtml(description)}</td></tr>`,
  );
  return `<h4>Parameters</h4><div class="wide" tabindex="0"><table><thead><tr><th scope="col">Name</th><th scope="col">In</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

/** Errors have one form, which stands where the codes are. */
function renderAnswer(api: ApiDocument, status: string, given: Answer | Reference): string {
  const { description, headers, content } = followed(api.components.responses, given);
  const names = Object.keys(headers ?? {}).map((name) => `<code>${escapeHtml(name)}</code>`);
  const about = names.length === 0 ? '' : `<p class="soft">Headers ${names.join(', ')}</p>`;
  if ('$ref' in given)
    return `<p><strong>${status}</strong> ${escapeHtml(description)} <a href="#errors">Errors</a></p>`;
  const media = content?.['application/json'];
  return `<details><summary><strong>${status}</strong> ${escapeHtml(description)}</summary>${about}${media === undefined ? '' : renderSchema(schemaOf(api, media))}</details>`;
}

const schemaOf = ({ components }: ApiDocument, { schema }: Media) =>
  schema.$ref === undefined ? schema : followed(components.schemas, { $ref: schema.$ref });

function followed<T extends object>(components: Readonly<Record<string, T>>, given: T | Reference): T {
  if (!('$ref' in given) || typeof given.$ref !== 'string') return given as T;
  const found = components[given.$ref.slice(given.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`${given.$ref} is nowhere in the document`);
  return found;
}

function renderExample({ method, operation }: PlacedOperation): string {
  const path = operation['x-example-request'];
  const [found] = Object.entries(operation.responses).filter(([status]) => status === '200');
  const answer = found?.[1];
  const example =
    answer !== undefined && 'content' in answer ? answer.content?.['application/json']?.example : undefined;
  if (path === undefined || example === undefined) return '';
  const body = operation.requestBody?.content['application/json']?.example;
  const asked = `${method.toUpperCase()} ${path}${body === undefined ? '' : `\n\n${JSON.stringify(body, null, 2)}`}`;
  return `<details><summary>Example</summary><pre tabindex="0"><code>${escapeHtml(asked)}</code></pre><pre tabindex="0"><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre></details>`;
}
