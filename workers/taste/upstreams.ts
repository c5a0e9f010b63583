import { catalog } from './catalog.ts';
import { charts } from './charts.ts';
import type { TasteSettings } from './config.ts';
import { statistics } from './statistics.ts';
import type { Upstream } from './upstream.ts';

/** The services that imports are set up for. */
export function upstreamsOf(settings: Pick<TasteSettings, 'scrobbler' | 'catalog'>): Upstream[] {
  const { scrobbler, catalog: collections } = settings;
  return [
    ...(scrobbler === null ? [] : [scrobbler.kind === 'charts' ? charts(scrobbler) : statistics(scrobbler)]),
    ...(collections === null ? [] : [catalog(collections)]),
  ];
}
