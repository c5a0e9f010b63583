import { type Static, Type } from '@sinclair/typebox';
import { catalogLabel } from '../../../contracts/catalog/label.ts';
import { labelIdentityBridge } from '../../../contracts/seen/label-identity-bridge.ts';
import { type Facet, openState } from '../../../engine/facet.ts';
import { orNull } from '../../../engine/values.ts';
import { type LabelRows, labelName } from '../lanes.ts';

const description = 'Name, catalogue id, parent label and own pages.';

const Identity = Type.Object({
  catalogLabelId: orNull(
    Type.Number({ description: 'Catalogue label id; null for a label entered by cluster.' }),
  ),
  name: Type.String({ description: 'Display name.' }),
  parentLabel: orNull(
    Type.String({
      description: 'Name of the parent label; null if there is none or entered by cluster.',
    }),
  ),
  profile: orNull(
    Type.String({ description: 'Text about the label; null where there is none or entered by cluster.' }),
  ),
  urls: Type.Array(Type.String({ description: 'URL of a page.' }), {
    description: "The label's own pages.",
  }),
});

/** Without the `{state, signals}` wrapper: the whole identity is null if no source names the label. */
export const identity: Facet<LabelRows, 'identity'> = {
  name: 'identity',
  sources: [catalogLabel, labelIdentityBridge],
  description,
  schema: orNull(Identity),
  build(rows) {
    const value = identityOf(rows);
    const naming = rows.catalogLabelId === null ? labelIdentityBridge : catalogLabel;
    return { state: value === null ? openState(rows, [naming]) : 'present', value };
  },
};

function identityOf(rows: LabelRows): Static<typeof Identity> | null {
  const name = labelName(rows);
  if (name === null) return null;
  const known = rows.one(catalogLabel);
  return {
    catalogLabelId: rows.catalogLabelId,
    name,
    parentLabel: known?.parent_label ?? null,
    profile: known?.profile ?? null,
    urls: known?.urls ?? [],
  };
}
