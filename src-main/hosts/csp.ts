import { isolatedPage } from '../listener/tab.ts'

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
    // The pages of diagrams and previews, which have their own policies.
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
    ...isolatedPage,
    'Permissions-Policy': 'microphone=(self), camera=(), geolocation=(), payment=(), usb=(), display-capture=()',
  }
}

/** Headers of a file that belongs to the page of a frame, by its path. Null for all other paths. */
export function frameHeaders(path: string): Record<string, string> | null {
  if (path.startsWith('/diagram/')) return headersOfFrame(diagramPolicy, '(response-origin)')
  return path.startsWith('/preview/') ? headersOfFrame(previewPolicy, '()') : null
}

/** What a document of a reply may contain, without any address. */
const inlineContent = ["style-src 'unsafe-inline'", 'img-src data: blob:', 'media-src data: blob:', 'font-src data:']

/** For Mermaid. Inline styles are allowed, because Mermaid puts a style sheet into each image. It gets no images and no fonts. */
const diagramPolicy = ["script-src 'self'", "style-src 'self' 'unsafe-inline'", "base-uri 'none'"]

/**
 * For documents that a model wrote. The only script is our page's, which is in the page; documents run none. `frame-src` blocks navigation of
 * the document inside. No source is an address, so that not even our own files can be requested.
 */
const previewPolicy = [
  "script-src 'unsafe-inline'",
  ...inlineContent,
  "frame-src 'none'",
  // Allows the `<base href="about:srcdoc">` that our page adds, so that links to a place in the same document work.
  'base-uri about:',
]

/**
 * `sandbox` gives the page an opaque origin, so it has no storage, no cookies and no access to our page. `Document-Isolation-Policy` gives
 * the page a process of its own, so that an endless loop in it does not stop our page. The opaque origin fetches the scripts, so they are
 * readable cross-origin; they are public.
 */
function headersOfFrame(policy: readonly string[], connections: string): Record<string, string> {
  const { 'X-Frame-Options': _, ...headers } = securityHeaders()
  return {
    ...headers,
    ...isolated(connections),
    'Content-Security-Policy': [
      "default-src 'none'",
      ...policy,
      "frame-ancestors 'self'",
      "form-action 'none'",
      'sandbox allow-scripts',
    ].join('; '),
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Document-Isolation-Policy': 'isolate-and-require-corp',
  }
}

/**
 * Headers of a page of a reply whose scripts run, in a window of the desktop (src-main/hosts/electron/pageWindows.ts). Its session has no
 * network, but WebRTC and hints resolve names without a proxy. `Connection-Allowlist` stops that: Chromium's network service enforces it for
 * all frames of the page.
 */
export function runningPageHeaders(): Record<string, string> {
  return {
    ...securityHeaders(),
    ...isolated('()'),
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'unsafe-inline'",
      ...inlineContent,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      'sandbox allow-scripts',
    ].join('; '),
  }
}

/** @param connections `Connection-Allowlist`: addresses that the page and its frames may connect to. Only Chromium knows it, since 156. */
function isolated(connections: string): Record<string, string> {
  return {
    'Connection-Allowlist': connections,
    'X-DNS-Prefetch-Control': 'off',
    'Permissions-Policy':
      'microphone=(), camera=(), geolocation=(), payment=(), usb=(), display-capture=(), clipboard-read=(), clipboard-write=(), fullscreen=()',
  }
}
