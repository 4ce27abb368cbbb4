#!/usr/bin/env node
// The installed command. node:sqlite needs Node 22.13: say so here, in words, before anything of ours is loaded.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(
    `inference-studio needs Node 22.13 or later; this is ${process.version}. See https://nodejs.org.\n`,
  )
  process.exit(1)
}
await import(new URL('../../out/main/node.js', import.meta.url).href)
