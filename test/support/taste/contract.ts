import { type Consumer, type Contract, readContract } from '../../../services/taste/contract/contract.ts';

/** A consumer of both services, one of a single service, and one on this machine. */
export const TEST_CONSUMERS: Readonly<Record<'app' | 'other' | 'local', Consumer>> = {
  app: {
    no: 'C1',
    id: 'app',
    name: 'App & Friends',
    origin: 'https://app.example',
    return_prefixes: ['/connected', '/a/deeper'],
    services: ['scrobbler', 'catalog'],
  },
  other: {
    no: 'C2',
    id: 'other',
    name: 'Other App',
    origin: 'https://other.example:8443',
    return_prefixes: ['/'],
    services: ['scrobbler'],
  },
  local: {
    no: 'C3',
    id: 'local',
    name: 'Local App',
    origin: 'http://127.0.0.1:8082',
    return_prefixes: ['/'],
    services: ['scrobbler', 'catalog'],
  },
};

/** The published contract with other consumers. */
export const contractWith = (...consumers: readonly Consumer[]): Contract => ({
  ...readContract(),
  consumers: [...consumers],
});

export const testContract: Contract = contractWith(...Object.values(TEST_CONSUMERS));
