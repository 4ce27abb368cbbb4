import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin, ServerOptions } from 'vite'

const page = `http://127.0.0.1:${process.env.INFERENCE_STUDIO_DEV_PAGE_PORT}`
const host = `http://127.0.0.1:${process.env.INFERENCE_STUDIO_DEV_HOST_PORT}`

const folder = (path: string): string => realpathSync(fileURLToPath(new URL(path, import.meta.url)))

/** Paths that the web host answers: its own, and the pages of frames, which have policies of their own and come from the last build. */
const hostPaths = ['/rpc', '/session', '/media/', '/transfers/', '/metrics', '/diagram/', '/preview/', '/pdf/']

/**
 * The server of `npm run dev`: serves the page from its sources with hot reload, and passes all other requests on to the web host. The host
 * accepts its own origin only, so the page's origin is replaced by that. Other origins stay as they are, and the host refuses them.
 */
export const devServer = (): ServerOptions => ({
  host: '127.0.0.1',
  port: Number(process.env.INFERENCE_STUDIO_DEV_PAGE_PORT) || 0,
  strictPort: true,
  // The page of the desktop has an address of another scheme.
  hmr: { protocol: 'ws', host: '127.0.0.1', clientPort: Number(process.env.INFERENCE_STUDIO_DEV_PAGE_PORT) || 0 },
  // Packages may be links to another folder.
  fs: { allow: [folder('../..'), dirname(folder('../../node_modules/vite'))] },
  proxy: Object.fromEntries(
    hostPaths.map((path) => [
      path,
      {
        target: host,
        changeOrigin: true,
        ws: path === '/rpc',
        configure(proxy) {
          const replace = (request: {
            getHeader(name: string): unknown
            setHeader(name: string, value: string): void
          }) => {
            if (request.getHeader('origin') === page) request.setHeader('origin', host)
          }
          proxy.on('proxyReq', replace)
          proxy.on('proxyReqWs', replace)
        },
      },
    ]),
  ),
})

/** Lets pages that are open enter the web host again after its restart, with the token that `npm run dev` sends. */
export function devSession(): Plugin {
  return {
    name: 'dev-session',
    apply: 'serve',
    configureServer(server) {
      process.on('message', ({ hash }: { hash: string }) => server.ws.send('studio:restarted', { hash }))
    },
    transformIndexHtml: {
      // Before Vite itself, which gives `import.meta.hot` to the scripts that it finds.
      order: 'pre',
      handler: () => [
        {
          tag: 'script',
          attrs: { type: 'module' },
          children: `import.meta.hot?.on('studio:restarted', ({ hash }) => {
            location.hash = hash
            location.reload()
          })`,
        },
      ],
    },
  }
}
