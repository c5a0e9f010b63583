import { Gauge, Registry } from 'prom-client';
import type { MetricsSource } from './operations-server.ts';

/** Makes a gauge, by its name behind the prefix of all. */
export type MakeGauge = <Label extends string>(
  name: string,
  help: string,
  ...labels: Label[]
) => Gauge<Label>;

interface MetricsOfNow {
  /** What the names of all begin with. */
  readonly prefix: string;
  /** The gauge that says whether the others could be read. */
  readonly up: { readonly name: string; readonly help: string };
  /** Reads what there is to tell, and tells it. */
  readonly tell: (gauge: MakeGauge) => Promise<void>;
}

/**
 * Metrics that are read whenever they are asked for. They are made anew each time, so that what is not known is absent
 * rather than as it was.
 */
export const metricsOfNow = ({ prefix, up, tell }: MetricsOfNow): MetricsSource => ({
  async metrics() {
    const registry = new Registry();
    const gauge: MakeGauge = (name, help, ...labelNames) =>
      new Gauge({ name: `${prefix}_${name}`, help, labelNames, registers: [registry] });
    const isUp = gauge(up.name, up.help);
    try {
      await tell(gauge);
      isUp.set(1);
    } catch {
      isUp.set(0);
    }
    return registry.metrics();
  },
});
