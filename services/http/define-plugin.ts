import type { FastifyInstance, FastifyPluginCallback } from 'fastify';

/**
 * A plugin that acts on the instance it is registered on, not on a child of it. Fastify fails to start if one of its
 * dependencies was not registered before.
 */
export function definePlugin<Options extends object>(
  name: string,
  dependencies: readonly string[],
  install: (app: FastifyInstance, options: Options) => void,
): FastifyPluginCallback<Options> {
  const plugin: FastifyPluginCallback<Options> = (app, options, done) => {
    install(app, options);
    done();
  };
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: name,
    [Symbol.for('plugin-meta')]: { name, dependencies },
  });
}
