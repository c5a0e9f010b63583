import { escapeHtml } from '../markdown/escape-html.ts';
import type { Parameter } from '../openapi/document.ts';
import type { PlacedOperation } from './render-operation.ts';

/** A form that a script sends; without scripts it stays hidden, for it could do nothing. */
export function renderTryIt(
  { method, path, operation }: PlacedOperation,
  parameters: readonly Parameter[],
  body: unknown,
): string {
  const isForKeys = operation.security.every((scheme) => 'ApiKey' in scheme);
  if (!isForKeys) return '';
  const fields = parameters.filter((parameter) => parameter.in !== 'header').map(renderField);
  const text =
    operation.requestBody === undefined
      ? ''
      : `<label>Body<textarea name="body" rows="8" spellcheck="false">${escapeHtml(JSON.stringify(body ?? {}, null, 2))}</textarea></label>`;
  return `<details hidden data-needs-script><summary>Try it</summary><form data-method="${method.toUpperCase()}" data-path="${escapeHtml(path)}">${fields.join('')}${text}<button>Send</button><pre tabindex="0"><output></output></pre></form></details>`;
}

function renderField({ name, in: place, required, schema, example }: Parameter): string {
  const value = example === undefined ? '' : String(example);
  const isMany = [schema.type].flat().includes('array');
  return `<label>${escapeHtml(name)}${isMany ? ', separated by commas' : ''}<input name="${escapeHtml(name)}" value="${escapeHtml(value)}" data-in="${place}"${isMany ? ' data-many="true"' : ''}${required ? ' required' : ''} autocomplete="off"></label>`;
}
