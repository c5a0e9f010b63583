import { Type } from '@sinclair/typebox';
import { WorkerConfig } from '../config.ts';

export const ProjectConfig = Type.Composite([
  WorkerConfig,
  Type.Object({
    /** What to do where documents were made by other code: build and promote, build only, or say so. */
    REBUILD: Type.Union([Type.Literal('promote'), Type.Literal('build'), Type.Literal('off')], {
      default: 'promote',
    }),
  }),
]);
