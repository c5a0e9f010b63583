const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;
/** Groups of 16 bits in an address, and in the prefix of one network. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;
/** In the prefix that a provider may assign to one customer. */
const SITE_GROUPS = 3;
/** In the prefix of a provider. */
const BLOCK_GROUPS = 2;

/** The unit of limits: an IPv4 address, or the IPv6 /64 of an address, which belongs to one household or host. */
export function networkOf(address: string): string {
  const [plain = ''] = address.split('%', 1);
  const ipv4 = MAPPED_IPV4.exec(plain)?.[1];
  if (ipv4 !== undefined || !plain.includes(':')) return ipv4 ?? plain;
  const [head = '', tail = ''] = plain.split('::');
  const before = groupsOf(head);
  const behind = groupsOf(tail);
  const left: string[] = Array.from(
    { length: Math.max(0, GROUPS - before.length - behind.length) },
    () => '0',
  );
  const groups = [...before, ...left, ...behind].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
  return prefixOf(groups, NETWORK_GROUPS);
}

const prefixOf = (groups: readonly string[], length: number): string =>
  `${groups.slice(0, length).join(':')}::/${16 * length}`;

/** A trailing IPv4 address takes the room of two groups. */
const groupsOf = (text: string): string[] =>
  text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? [group, group] : [group]));

/** A network and the wider ones around it: the /48 and /32 of an IPv6 /64, the /24 and /16 of an IPv4 address. */
export function networkLevels(network: string): string[] {
  if (network.includes(':')) {
    const groups = network.slice(0, network.indexOf('::')).split(':');
    return [network, ...[SITE_GROUPS, BLOCK_GROUPS].map((length) => prefixOf(groups, length))];
  }
  const bytes = network.split('.');
  if (bytes.length !== 4) return [network];
  return [network, `${bytes.slice(0, 3).join('.')}.0/24`, `${bytes.slice(0, 2).join('.')}.0.0/16`];
}
