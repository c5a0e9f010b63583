import { Histogram, type Registry } from 'prom-client';

export interface DurationHistogramOptions {
  readonly registry: Registry;
  readonly name: string;
  readonly help: string;
  /** Upper bounds in seconds, ascending. */
  readonly buckets: readonly number[];
}

/** Takes in one duration, in seconds. */
export type Observe = (seconds: number) => void;

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** By bucket, the last for what is beyond all bounds. */
  readonly counts: number[];
  sum: number;
}

/**
 * A histogram whose every observation costs an addition or two: the library's own names the series anew for each, which a
 * request cannot afford.
 *
 * @returns the series of labels, to be kept by who observes it often
 */
export function durationHistogram<Label extends string>(
  { registry, name, help, buckets }: DurationHistogramOptions,
  labelNames: readonly Label[],
): (labels: Readonly<Record<Label, string>>) => Observe {
  const all = new Map<string, Series>();
  const metric = new Histogram({ name, help, labelNames, buckets: [...buckets], registers: [registry] });
  const collect = async () => ({
    name,
    help,
    type: 'histogram' as const,
    aggregator: 'sum',
    values: [...all.values()].flatMap((series) => shown(name, buckets, series)),
  });
  Object.assign(metric, { get: collect, getForPromString: collect });
  return (labels) => {
    const id = labelNames.map((label) => labels[label]).join('\0');
    const series = all.get(id) ?? { labels, counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
    all.set(id, series);
    return (seconds) => {
      let bucket = 0;
      while (bucket < buckets.length && seconds > (buckets[bucket] as number)) bucket++;
      series.counts[bucket] = (series.counts[bucket] as number) + 1;
      series.sum += seconds;
    };
  };
}

interface ShownValue {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

function shown(name: string, buckets: readonly number[], { labels, counts, sum }: Series): ShownValue[] {
  let count = 0;
  const bounds = [...buckets, '+Inf'].map((le, bucket) => {
    count += counts[bucket] as number;
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: count };
  });
  return [
    ...bounds,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
