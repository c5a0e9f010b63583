// Shows the document of this service. Keys stay in the page: nothing is stored, and requests go to this service alone.
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** The page says by itself what the document begins with, and there is one server: this one. */
const hidden = { wrapComponents: { InfoContainer: () => () => null, ServersContainer: () => () => null } };

SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#swagger-ui',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => hidden],
  layout: 'BaseLayout',
  deepLinking: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  onComplete() {
    // What came before it has grown since the browser went there.
    const [, id = ''] = location.hash.split('#');
    if (id.startsWith('error')) document.getElementById(id)?.scrollIntoView();
  },
});
