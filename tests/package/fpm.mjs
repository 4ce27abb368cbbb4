#!/usr/bin/env node
// Replaces fpm, which electron-builder downloads: builds a real .deb of the files and fields that electron-builder passes, with dpkg-deb.
// Knows the arguments that electron-builder 26 passes, and fails on others.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const fields = {
  '--name': 'Package',
  '--version': 'Version',
  '--architecture': 'Architecture',
  '--maintainer': 'Maintainer',
  '--description': 'Description',
  '--url': 'Homepage',
  '--deb-priority': 'Priority',
}
const lists = { '-d': 'Depends', '--deb-recommends': 'Recommends' }
const ignored = ['-s', '-t', '--vendor', '--license', '--deb-compression', '--category']
const scripts = { '--after-install': 'postinst', '--after-remove': 'postrm' }

const control = { Section: 'utils' }
const maintainer = {}
const files = []
let output
const args = process.argv.slice(2)
for (let at = 0; at < args.length; at++) {
  const name = args[at]
  if (name === '--force') continue
  if (!name.startsWith('-')) {
    const cut = name.lastIndexOf('=')
    files.push([name.slice(0, cut), name.slice(cut + 1)])
    continue
  }
  at += 1
  const value = args[at]
  if (name in fields) control[fields[name]] = value
  else if (name in lists) control[lists[name]] = [control[lists[name]], value].filter(Boolean).join(', ')
  else if (name in scripts) maintainer[scripts[name]] = value
  else if (name === '--package') output = value
  else if (!ignored.includes(name)) throw new Error(`This replacement of fpm does not know ${name}`)
}
// A description of several lines: all but the first start with a space.
control.Description = control.Description.trim()
  .split('\n')
  .map((line, index) => (index > 0 ? ` ${line.trim() || '.'}` : line))
  .join('\n')

const folder = mkdtempSync(join(tmpdir(), 'studio-fpm-'))
try {
  for (const [from, to] of files) {
    mkdirSync(join(folder, dirname(to)), { recursive: true })
    cpSync(from, join(folder, to), { recursive: true })
    if (statSync(from).isFile()) chmodSync(join(folder, to), 0o644)
  }
  mkdirSync(join(folder, 'DEBIAN'))
  chmodSync(folder, 0o755)
  writeFileSync(
    join(folder, 'DEBIAN', 'control'),
    Object.entries(control)
      .map(([name, value]) => `${name}: ${value}\n`)
      .join(''),
  )
  for (const [name, path] of Object.entries(maintainer)) {
    cpSync(path, join(folder, 'DEBIAN', name))
    chmodSync(join(folder, 'DEBIAN', name), 0o755)
  }
  execFileSync('dpkg-deb', ['--root-owner-group', '-Zgzip', '-z1', '--build', folder, output], { stdio: 'inherit' })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
