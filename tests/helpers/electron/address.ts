/** Chromium has no option for custom schemes: `app://studio/x` becomes the page `https://studio.app.localhost/x`. */
export const toPage = (url: string): string => url.replace(/^app:\/\/([^/]+)/, 'https://$1.app.localhost')
export const fromPage = (url: string): string => url.replace(/^https:\/\/([a-z0-9-]+)\.app\.localhost/, 'app://$1')
