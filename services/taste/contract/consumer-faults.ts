/** The members of a consumer that are checked. */
interface ConsumerUrls {
  readonly id: string;
  readonly origin: string;
  readonly return_prefixes: readonly string[];
}

/** Hosts that are the browser's own machine. None in IPv6, which the policy of a page cannot name. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

/** The faults that prevent the registration of consumers. */
export function consumerFaults(consumers: readonly ConsumerUrls[]): string[] {
  const faults = consumers.flatMap(({ id, origin, return_prefixes: prefixes }) =>
    [originFault(origin), ...prefixes.map((prefix) => prefixFault(prefix))].flatMap((fault) =>
      fault === null ? [] : [`${id}: ${fault}`],
    ),
  );
  return [
    ...faults,
    ...repeated(consumers.map(({ id }) => id)).map((id) => `the id ${id} is used twice`),
    // The page's origin identifies the consumer.
    ...repeated(consumers.map(({ origin }) => origin)).map(
      (origin) => `two consumers have the origin ${origin}`,
    ),
  ];
}

const OWN_MACHINE = /^(?:127\.[\d.]+|(?:.+\.)?localhost|\[::1\])$/;

/** Faults of consumers for a service behind HTTPS: any program of the user may listen on such an origin. */
export const loopbackFaults = (consumers: readonly ConsumerUrls[]): string[] =>
  consumers
    .filter(({ origin }) => OWN_MACHINE.test(new URL(origin).hostname))
    .map(({ id, origin }) => `${id}: the origin ${origin} is on the user's own machine`);

function originFault(origin: string): string | null {
  if (!URL.canParse(origin)) return `${origin} is no origin`;
  const url = new URL(origin);
  if (url.origin !== origin) return `the origin ${origin} has to be written ${url.origin}`;
  if (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname))) return null;
  return `the origin ${origin} needs https`;
}

const PREFIX = /^\/(?:[\w~!$'()*+,=:@.-]+(?:\/[\w~!$'()*+,=:@.-]+)*)?$/;

function prefixFault(prefix: string): string | null {
  const isSound = PREFIX.test(prefix) && new URL(prefix, 'https://a.example').pathname === prefix;
  return isSound
    ? null
    : `the return prefix ${prefix} has to be a plain path of whole segments, without a slash at its end`;
}

const repeated = (values: readonly string[]): string[] => [
  ...new Set(values.filter((value, index) => values.indexOf(value) !== index)),
];
