const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
/** Groups of 16 bits in an address, and in the part that a network hands out as a whole. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;
/** In the part that one customer of a provider may have. */
const SITE_GROUPS = 3;

export interface Visitor {
  /** Who counts as one: an IPv4 address, or an IPv6 /64, all of which one household or host has to itself. */
  readonly network: string;
  /** The IPv6 /48 that holds the network and 65,535 others, which may all be one customer's; null for IPv4. */
  readonly site: string | null;
}

export function visitorOf(address: string): Visitor {
  const [plain = ''] = address.split('%', 1);
  const ipv4 = MAPPED_IPV4.exec(plain)?.[1];
  if (ipv4 !== undefined || !plain.includes(':')) return { network: ipv4 ?? plain, site: null };
  const [head = '', tail = ''] = plain.split('::');
  const before = groupsOf(head);
  const behind = groupsOf(tail);
  const left: string[] = Array.from(
    { length: Math.max(0, GROUPS - before.length - behind.length) },
    () => '0',
  );
  const groups = [...before, ...left, ...behind].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return { network: prefixOf(groups, NETWORK_GROUPS), site: prefixOf(groups, SITE_GROUPS) };
}

const prefixOf = (groups: readonly string[], length: number): string =>
  `${groups.slice(0, length).join(':')}::/${16 * length}`;

/** A trailing IPv4 address takes the room of two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]));
