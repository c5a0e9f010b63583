import { expect, it } from 'vitest';
import { holdingsOf, leftOver } from './metrics.ts';

const TEXT = `# HELP process_resident_memory_bytes Resident memory size in bytes.
process_resident_memory_bytes 104857600
nodejs_heap_size_used_bytes 52428800
nodejs_active_resources{type="TCPSocketWrap"} 12
nodejs_active_resources{type="Timeout"} 4
linernotes_pool_connections{pool="access",state="busy"} 1
linernotes_pool_connections{pool="access",state="idle"} 9
linernotes_pool_connections{pool="access",state="waiting"} 0
linernotes_pool_connections{pool="watch",state="busy"} 0
linernotes_pool_connections{pool="watch",state="idle"} 1
linernotes_pool_connections{pool="watch",state="waiting"} 3
`;

it('reads the holdings of a process from its metrics', () => {
  expect(holdingsOf(TEXT)).toEqual({
    memory: 100,
    heap: 50,
    resources: { TCPSocketWrap: 12, Timeout: 4 },
    pool: { busy: 1, idle: 10, waiting: 3 },
  });
});

it('counts what has grown, by kind', () => {
  const before = holdingsOf(TEXT);
  const resources = { TCPSocketWrap: 14, Timeout: 3, FSReqPromise: 1 };
  expect(leftOver(before, { ...before, resources })).toEqual({ TCPSocketWrap: 2, FSReqPromise: 1 });
});
