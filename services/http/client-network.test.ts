import { expect, it } from 'vitest';
import { visitorOf, widerNetworks } from './client-network.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::ffff', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('%s counts as %s', (address, network) => {
  expect(visitorOf(address).network).toBe(network);
});

it.each([
  ['203.0.113.7', null],
  ['::ffff:203.0.113.7', null],
  ['2001:DB8:0001:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
  ['2001:db8:2:ffff::1', '2001:db8:2::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
])('%s is of the site %s', (address, site) => {
  expect(visitorOf(address).site).toBe(site);
});

it.each([
  ['192.0.2.7', ['192.0.2.0/24', '192.0.0.0/16']],
  ['2001:db8:7:8::1', ['2001:db8:7::/48', '2001:db8::/32']],
  ['::1', ['0:0:0::/48', '0:0::/32']],
  ['no address', []],
])('%s has wider networks', (address, wider) => {
  expect(widerNetworks(visitorOf(address).network)).toEqual(wider);
});
