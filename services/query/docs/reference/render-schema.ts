import { escapeHtml } from '../markdown/escape-html.ts';
import type { JsonSchema } from '../openapi/document.ts';

/** One member of a body, wherever it is inside. */
interface Row {
  /** As `items[].name`. */
  readonly path: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

/** The members of a body as a table, those inside others after them. */
export function renderSchema(schema: JsonSchema): string {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return `<p>${escapeHtml(typeText(schema))}</p>`;
  return `<div class="wide" tabindex="0"><table><thead><tr><th scope="col">Member</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.map(renderRow).join('')}</tbody></table></div>`;
}

const renderRow = ({ path, type, isRequired, description }: Row): string =>
  `<tr><th scope="row"><code>${escapeHtml(path)}</code>${isRequired ? '' : ' <span class="soft">optional</span>'}</th><td>${escapeHtml(type)}</td><td>${escapeHtml(description)}</td></tr>`;

function rowsOf(schema: JsonSchema, at: string): Row[] {
  const { properties = {}, required = [] } = schema;
  const own = Object.entries(properties).flatMap(([name, member]) => {
    const path = at === '' ? name : `${at}.${name}`;
    const row = {
      path,
      type: typeText(member),
      isRequired: required.includes(name),
      description: member.description ?? '',
    };
    return [row, ...rowsOf(member, path)];
  });
  const { items, additionalProperties, anyOf = [] } = schema;
  return [
    ...own,
    ...(items === undefined ? [] : rowsOf(items, `${at}[]`)),
    ...(typeof additionalProperties === 'object' ? rowsOf(additionalProperties, `${at}.*`) : []),
    ...anyOf.flatMap((choice) => rowsOf(choice, at)),
  ];
}

/** What a value may be, in words. */
export function typeText(schema: JsonSchema): string {
  const { type, items, anyOf, enum: values, const: only, format, additionalProperties } = schema;
  if (only !== undefined) return `always ${JSON.stringify(only)}`;
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(', ');
  if (anyOf !== undefined) return anyOf.map(typeText).join(', or ');
  if (type === undefined) return 'any';
  const words = [type].flat().map((name) => {
    if (name === 'array' && items !== undefined) return `list of ${typeText(items)}`;
    if (name === 'object' && typeof additionalProperties === 'object')
      return `object of ${typeText(additionalProperties)} by name`;
    return name === 'string' && format !== undefined ? format : name;
  });
  const bounds = boundsText(schema);
  return words.join(' or ') + (bounds === '' ? '' : `, ${bounds}`);
}

function boundsText(schema: JsonSchema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  return [
    range(minimum, maximum, ''),
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' items'),
    pattern === undefined ? '' : `matching ${pattern}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ]
    .filter((text) => text !== '')
    .join(', ');
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? '' : `${least} or more${unit}`;
}
