import { Gauge, Registry } from 'prom-client';
import type { MetricsSource } from './operations-server.ts';

/** Creates a gauge. Its name follows the common prefix. */
export type MakeGauge = <Label extends string>(
  name: string,
  help: string,
  ...labels: Label[]
) => Gauge<Label>;

interface LiveMetrics {
  /** Common prefix of the names. */
  readonly prefix: string;
  /** The gauge that is 1 if the others could be read, else 0. */
  readonly up: { readonly name: string; readonly help: string };
  /** Reads the current values and sets a gauge for each. */
  readonly collect: (gauge: MakeGauge) => Promise<void>;
}

/** Metrics that are read at each scrape. A fresh registry each time leaves out what is unknown, instead of its old value. */
export const liveMetrics = ({ prefix, up, collect }: LiveMetrics): MetricsSource => ({
  async metrics() {
    const registry = new Registry();
    const gauge: MakeGauge = (name, help, ...labelNames) =>
      new Gauge({ name: `${prefix}_${name}`, help, labelNames, registers: [registry] });
    const isUp = gauge(up.name, up.help);
    try {
      await collect(gauge);
      isUp.set(1);
    } catch {
      isUp.set(0);
    }
    return registry.metrics();
  },
});
