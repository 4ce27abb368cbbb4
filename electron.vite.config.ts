import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'electron-vite'
import { devServer, devSession } from './resources/scripts/devPage.ts'
import { framePages } from './resources/scripts/framePages.ts'
import { guidePages } from './resources/scripts/guidePages.ts'
import { notices } from './resources/scripts/notices.ts'
import { pdfAssets } from './resources/scripts/pdfAssets.ts'
import { groupOf } from './src-renderer/i18n/groups.ts'

/** The texts of one language: `i18n/de/chat.ts`. */
const textsOf = /i18n[\\/]([\w-]+)[\\/](\w+)\.ts$/

const textsName = (id: string): string => {
  const [, language = '', namespace = ''] = textsOf.exec(id) ?? []
  return ['texts', language, groupOf(namespace)].filter(Boolean).join('-')
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

// Targets are named here because electron-vite's own table ends before this Electron.
// Packages under "dependencies" and "optionalDependencies" stay external (they carry native or WebAssembly files); all others are bundled.
const { optionalDependencies } = JSON.parse(readFileSync(at('./package.json'), 'utf8'))

// The bundler sees neither the modules inside of the diagram page's script nor the source of Tailwind's styles, and drops files that only
// export others.
const thirdParty = notices(['mermaid', 'pdfjs-dist', 'radix-ui', 'tailwindcss'])

/** Times of the bundler's parts would be the longest message that a newcomer sees. */
const checks = { bundlerTimings: false }

export default defineConfig({
  main: {
    plugins: [pdfAssets(['cmaps']), guidePages(), thirdParty.build()],
    build: {
      outDir: 'out/main',
      target: 'node24',
      externalizeDeps: { include: Object.keys(optionalDependencies) },
      sourcemap: true,
      rollupOptions: {
        checks,
        input: {
          electron: at('src-main/hosts/electron/main.ts'),
          certificates: at('src-main/hosts/electron/certificates.ts'),
          node: at('src-main/hosts/node/main.ts'),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  },
  preload: {
    plugins: [thirdParty.build()],
    build: {
      outDir: 'out/preload',
      // electron-vite takes nothing but a Node target here; the Chromium of the same Electron knows more.
      target: 'node24',
      rollupOptions: {
        checks,
        input: { preload: at('src-preload/preload.ts'), page: at('src-preload/page.ts') },
        // A sandboxed preload can't be an ES module.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('src-renderer'),
    server: devServer(),
    plugins: [react(), tailwindcss(), devSession(), framePages(), pdfAssets(['decoders']), thirdParty.build()],
    // Grammars are fetched one by one, which only a worker that is a module can do.
    worker: { format: 'es', plugins: () => [thirdParty.worker()], rollupOptions: { checks } },
    build: {
      outDir: at('out/renderer'),
      emptyOutDir: true,
      // The page's policy knows no data: fonts.
      assetsInlineLimit: 0,
      target: 'chrome156',
      rollupOptions: {
        checks,
        input: {
          index: at('src-renderer/index.html'),
          opening: at('src-renderer/app/opening/index.html'),
          quick: at('src-renderer/app/quick/index.html'),
        },
        output: {
          codeSplitting: {
            groups: [
              // A file of its own without imports, which therefore runs before the shared ones.
              { name: 'noEval', test: /app[\\/]noEval\.ts$/, priority: 1 },
              // A window loads what every page shows in its language as one file, and one for each group of further texts.
              { name: textsName, test: textsOf, priority: 1 },
            ],
          },
        },
      },
    },
  },
})
