type Named<T> = Readonly<Record<string, T>>;

/** A JSON Schema of the 2020-12 dialect, with the keywords that routes use. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly properties?: Named<JsonSchema>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface Reference {
  readonly $ref: string;
}

interface MediaObject {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  readonly examples?: Named<{ readonly value: unknown }>;
}

export interface HeaderObject {
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Named<Reference>;
  readonly content?: Named<MediaObject>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Named<readonly string[]>[];
  readonly parameters: readonly (ParameterObject | Reference)[];
  readonly requestBody?: { readonly required: true; readonly content: Named<MediaObject> };
  readonly responses: Named<ResponseObject | Reference>;
  /** The request that the example response belongs to. */
  readonly 'x-example-request'?: string;
}

/** An OpenAPI 3.1 document, with the members that this one has. */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly security: OperationObject['security'];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** By path, then by method in lower case. */
  readonly paths: Named<Named<OperationObject>>;
  readonly components: {
    readonly schemas: Named<JsonSchema>;
    readonly parameters: Named<ParameterObject>;
    readonly headers: Named<HeaderObject>;
    readonly responses: Named<ResponseObject>;
    readonly securitySchemes: Named<Named<string>>;
  };
  /** Every code that `error` can have. */
  readonly 'x-error-codes': Named<{
    readonly status: number;
    readonly message: string;
    readonly hint: string;
  }>;
}
