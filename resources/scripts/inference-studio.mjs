#!/usr/bin/env node
// The installed command. Without arguments, it serves the page and opens it in the browser where there is a display.
if (process.argv.length === 2) {
  const { env, platform } = process
  const hasDisplay = platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY
  process.argv.push('serve', ...(hasDisplay ? ['--open'] : []))
}
await import(new URL('../../out/main/node.js', import.meta.url).href)
