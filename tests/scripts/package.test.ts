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
