import { Type } from '@sinclair/typebox';
import { WorkerConfig } from '../../infra/runtime/config.ts';

export const ProjectConfig = Type.Composite([
  WorkerConfig,
  Type.Object({
    REBUILD: Type.Union([Type.Literal('promote'), Type.Literal('build'), Type.Literal('off')], {
      default: 'promote',
      description:
        'What projectors do when the live documents are of another code version: build and promote, build only, or only log it.',
    }),
  }),
]);
