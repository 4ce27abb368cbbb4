#!/usr/bin/env node
// The installed command. Without arguments, it serves the page and opens it in the browser where there is a display.
// The core needs full-text search in node:sqlite, since Node 22.16 and 24.
// Checks that before loading anything else.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 16) || major === 23) {
  process.stderr.write(
    `inference-studio needs Node 24, or 22.16 or later of Node 22; this is ${process.version}. See https://nodejs.org.\n`,
  )
  process.exit(1)
}
if (process.argv.length === 2) {
  const { env, platform } = process
  const hasDisplay = platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY
  process.argv.push('serve', ...(hasDisplay ? ['--open'] : []))
}
await import(new URL('../../out/main/node.js', import.meta.url).href)
