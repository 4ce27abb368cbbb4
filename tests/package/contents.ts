/** Files of the build that are in every package, besides those of `bundled`. A new page or entry must be added here. */
export const entries = [
  'out/THIRD_PARTY_NOTICES.txt',
  'out/main/certificates.js',
  'out/main/electron.js',
  'out/main/node.js',
  'out/preload/page.cjs',
  'out/preload/preload.cjs',
  'out/renderer/app/opening/index.html',
  'out/renderer/app/quick/index.html',
  'out/renderer/diagram/index.html',
  'out/renderer/diagram/mermaid.js',
  'out/renderer/diagram/page.css',
  'out/renderer/diagram/page.js',
  'out/renderer/index.html',
  'out/renderer/preview/index.html',
]

/** Files of the build with a hash in their names, character maps and decoders of PDF.js. */
export const bundled =
  /^out\/(main\/chunks\/[\w.-]+\.js|renderer\/assets\/[\w.-]+\.(js|css|woff2?|ttf|svg|ogg)|(main\/docs\/guide\/[\w-]+\.md|main\/pdf\/cmaps\/[\w-]+\.bcmap|renderer\/pdf\/decoders\/\w+\.js))$/
