declare global {
  /** Part of the language, missing from the type declarations so far. */
  interface JSON {
    /** A value that `JSON.stringify` writes as the given text. */
    rawJSON(text: string): { readonly rawJSON: string };
    isRawJSON(value: unknown): value is { readonly rawJSON: string };
  }
}

/** A value with the numbers that were kept as written turned into numbers; the value itself where it holds none. */
export function withPlainNumbers(value: unknown): unknown {
  if (JSON.isRawJSON(value)) return Number(value.rawJSON);
  return Array.isArray(value) && value.some(JSON.isRawJSON) ? value.map(withPlainNumbers) : value;
}
