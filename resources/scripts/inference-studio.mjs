#!/usr/bin/env node
// The installed command. The core needs node:sqlite and getCACertificates of node:tls, which exist since Node 22.15 and 23.10.
// Checks that before loading anything else.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 15) || (major === 23 && minor < 10)) {
  process.stderr.write(
    `inference-studio needs Node 24, or 22.15; this is ${process.version}. See https://nodejs.org.\n`,
  )
  process.exit(1)
}
await import(new URL('../../out/main/node.js', import.meta.url).href)
