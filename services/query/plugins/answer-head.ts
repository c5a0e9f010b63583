import { definePlugin } from '../../http/define-plugin.ts';
import { corsHeaders } from './cors.ts';
import { STRICT_TRANSPORT, securityHeaders } from './security-headers.ts';

/** What every answer carries, whatever becomes of the request; a route may say other things of its answers. */
export const commonHeaders: Readonly<Record<string, string>> = {
  ...corsHeaders,
  ...securityHeaders,
  // Of whatever says nothing else, nothing is to be kept.
  'cache-control': 'no-store',
};

export interface AnswerHeadOptions {
  /** Whether a proxy may say by what protocol it was asked. */
  readonly trustsProxy: boolean;
}

/** Begins every answer: with the id of its request, and with what holds for all answers. */
export const answerHead = definePlugin<AnswerHeadOptions>('answer-head', [], (app, { trustsProxy }) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders).header('x-request-id', request.id);
    done();
  });
  // Without a proxy that is believed, nobody can be asked by https.
  if (!trustsProxy) return;
  app.addHook('onRequest', (request, reply, done) => {
    if (request.protocol === 'https') reply.header('strict-transport-security', STRICT_TRANSPORT);
    done();
  });
});
