// Shows the document of this service. Keys stay in the page: nothing is stored, and requests go to this service alone.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

// An anchor of the page itself: what grows in front of it must not push it out of view, until somebody moves on.
const anchor = document.getElementById(location.hash.slice(1));
if (anchor !== null) {
  const stay = new ResizeObserver(() => anchor.scrollIntoView());
  stay.observe(document.querySelector('#swagger-ui'));
  for (const move of ['wheel', 'touchstart', 'pointerdown', 'keydown'])
    addEventListener(move, () => stay.disconnect(), { once: true });
}

// The page says by itself what the document begins with, and there is one server: this one.
const hidden = { wrapComponents: { InfoContainer: () => () => null, ServersContainer: () => () => null } };

SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => hidden],
  layout: 'BaseLayout',
  // It would take any anchor for one of its own.
  deepLinking: anchor === null,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
});
