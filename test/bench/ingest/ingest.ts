import type { Cleanup } from '../cleanup.ts';
import type { BenchOptions } from '../options.ts';
import type { Figure } from '../report.ts';
export async function* benchIngest(_options: BenchOptions, _cleanup: Cleanup): AsyncGenerator<Figure> {}
