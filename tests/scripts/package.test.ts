import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../resources/scripts/ready.mjs'

const plist = (name: string): string => readFileSync(join(root, 'resources', 'package', name), 'utf8')

it('a package for macOS may use the microphone, and says why', () => {
  expect(plist('entitlements.mac.plist')).toMatch(/<key>com\.apple\.security\.device\.audio-input<\/key>\s*<true\/>/)
  expect(plist('Info.mac.plist')).toMatch(/<key>NSMicrophoneUsageDescription<\/key>\s*<string>\S.{20,}<\/string>/)
})

it('a package for macOS has no entitlement that weakens the hardened runtime', () => {
  const keys = [...plist('entitlements.mac.plist').matchAll(/<key>(.*)<\/key>/g)].map(([, key]) => key)
  expect(keys).toEqual(['com.apple.security.cs.allow-jit', 'com.apple.security.device.audio-input'])
})

const icon = (name: string): Buffer => readFileSync(join(root, 'resources', 'package', 'icons', name))
/** Width and height in the header of a PNG. */
const sizeOf = (png: Buffer): [number, number] => {
  expect(png.toString('latin1', 1, 4)).toBe('PNG')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

it('the icons were drawn from the current SVG (if not: npm run icons)', () => {
  const svg = readFileSync(join(root, 'src-renderer', 'icon.svg'))
  expect(icon('source.sha256').toString().trim()).toBe(createHash('sha256').update(svg).digest('hex'))
})

it('the icons have all sizes that the systems ask for', () => {
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512])
    expect(sizeOf(icon(`${size}x${size}.png`))).toEqual([size, size])

  const ico = icon('icon.ico')
  const windows = Array.from({ length: ico.readUInt16LE(4) }, (_, index) => {
    const at = ico.readUInt32LE(6 + 16 * index + 12)
    return sizeOf(ico.subarray(at))[0]
  })
  expect(windows).toEqual([16, 24, 32, 48, 64, 128, 256])

  const icns = icon('icon.icns')
  expect([icns.toString('latin1', 0, 4), icns.readUInt32BE(4)]).toEqual(['icns', icns.length])
  const mac: [string, number][] = []
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) {
    mac.push([icns.toString('latin1', at, at + 4), sizeOf(icns.subarray(at + 8))[0]])
  }
  expect(Object.fromEntries(mac)).toMatchObject({ ic07: 128, ic08: 256, ic09: 512, ic10: 1024, ic11: 32, ic12: 64 })
})
