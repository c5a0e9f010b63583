// Shows the OpenAPI document. Nothing is stored: keys stay in the page, and requests go to this service only.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// Content that loads above the anchor must not push it out of view until the reader scrolls.
const anchor = document.getElementById(location.hash.slice(1));
if (anchor !== null) {
  const stay = new ResizeObserver(() => anchor.scrollIntoView());
  stay.observe(document.querySelector('#swagger-ui'));
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(move, () => stay.disconnect(), { once: true });
}

// The page shows the introduction itself, and this service is the only server.
const hidden = { wrapComponents: { InfoContainer: () => () => null, ServersContainer: () => () => null } };

const key = document.getElementById('api-key');
const useKey = () => ui.preauthorizeApiKey('ApiKey', key.value.trim());
const ui = SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => hidden],
  layout: 'BaseLayout',
  // Swagger UI would take every anchor for one of its own.
  deepLinking: anchor === null,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  // A browser may have restored the field, or the reader may have filled it already.
  onComplete: () => {
    useKey();
    key.addEventListener('input', useKey);
  },
});
