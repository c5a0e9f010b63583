import { projectionByName } from '../../projections/index.ts';
import type { Projection } from '../../projections/projection.ts';
import { usageError } from './command.ts';

/** The projection that the only argument names. */
export function projectionOf([name, ...more]: readonly string[]): Projection {
  const all = [...projectionByName.keys()].join(', ');
  if (name === undefined || more.length > 0) throw usageError(`name one projection: ${all}`);
  const projection = projectionByName.get(name);
  if (projection === undefined) throw usageError(`there is no projection "${name}"; there are ${all}`);
  return projection;
}
