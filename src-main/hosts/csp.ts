/**
 * What the page may do, the same text under both hosts: everything from its own origin, nothing inline, nothing evaluated.
 * `sockets` are extra addresses for `connect-src`: the web host names its own `ws:` origin, because not every browser
 * counts it as `'self'`.
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
    // The page of a diagram, which has a policy of its own; a frame can't go anywhere else either.
    "frame-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
}

/** Headers of every reply that a page of ours can come from, refusals too. */
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

/** Where the page that draws diagrams and its two scripts lie. */
export const isDiagramPath = (path: string): boolean => path.startsWith('/diagram/')

/**
 * Headers of the page that draws a diagram, in a frame of ours alone. `sandbox` gives it an origin that nothing shares, however it is
 * opened: no storage, no cookie, no way to our page. It has no network, pictures and fonts included. Styles may stand in line, because
 * Mermaid puts a style sheet into each picture. Its own scripts are fetched by that origin, so they must be open to others;
 * they hold nothing that is not public.
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
