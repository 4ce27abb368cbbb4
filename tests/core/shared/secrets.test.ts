import { expect, it } from 'vitest'
import { withoutSecrets } from '../../../src-main/core/shared/secrets.ts'

it.each([
  ['{"Authorization":"Bearer abc.def"}}', '{"Authorization":"Bearer …"}}'],
  ['{"headers":{"Authorization":"Bearer isk_0123456789"}}', '{"headers":{"Authorization":"Bearer …"}}'],
  ['authorization: basic dXNlcjpwYXNz, next', 'authorization: basic … next'],
  ['Authorization: Bearer "abc def"', 'Authorization: Bearer … def"'],
  ['key isk_0123456789 of an app', 'key isk_… of an app'],
])('a credential is masked, and not what is around it: %s', (line, masked) => {
  expect(withoutSecrets(line)).toBe(masked)
})
