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
