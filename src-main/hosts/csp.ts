/**
 * Content security policy of the page under both hosts: own origin only, no inline code, no eval.
 * @param sockets extra sources for `connect-src`. The web host adds its `ws:` origin, which not every browser counts as `'self'`.
 */
export function contentSecurityPolicy(sockets: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "font-src 'self'",
    ['connect-src', "'self'", ...sockets].join(' '),
    "worker-src 'self' blob:",
    // The diagram page, which has its own policy.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Security headers of every response, errors included. */
export function securityHeaders(sockets: readonly string[] = []): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(sockets),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=(), display-capture=()',
  }
}

/** Whether a path belongs to the page that draws diagrams. */
export const isDiagramPath = (path: string): boolean => path.startsWith('/diagram/')

/**
 * Headers of the page that draws diagrams in a frame. `sandbox` gives it an opaque origin, so it has no storage, no cookies
 * and no access to our page. It has no network, not even for images and fonts. Inline styles are allowed, because Mermaid
 * puts a style sheet into each image. The opaque origin fetches the scripts, so they are readable cross-origin; they are public.
 */
export function diagramHeaders(): Record<string, string> {
  const { 'X-Frame-Options': _, ...headers } = securityHeaders()
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "frame-ancestors 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    'sandbox allow-scripts',
  ]
  return {
    ...headers,
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Permissions-Policy':
      'microphone=(), camera=(), geolocation=(), payment=(), usb=(), display-capture=(), clipboard-read=(), clipboard-write=()',
  }
}
