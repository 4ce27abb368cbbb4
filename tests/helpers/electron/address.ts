/** Chromium can't be taught a scheme from outside: `app://studio/x` is the page `https://studio.app.localhost/x` in it. */
export const toPage = (url: string): string => url.replace(/^app:\/\/([^/]+)/, 'https://$1.app.localhost')
export const fromPage = (url: string): string => url.replace(/^https:\/\/([a-z0-9-]+)\.app\.localhost/, 'app://$1')
