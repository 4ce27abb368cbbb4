import { expect, test } from 'vitest'
import { spentToday } from '../../../../src-renderer/app/shell/spentToday.ts'

test("uses the service's figure for today's spend unless this computer knows more, and no number when neither knows", () => {
  expect(spentToday({ service: '1.2', here: '0.5' })).toEqual({ amount: '1.2', by: 'service' })
  expect(spentToday({ service: '0', here: '0.06' })).toEqual({ amount: '0.06', by: 'here' })
  expect(spentToday({ service: '0.5', here: '0.50' })).toEqual({ amount: '0.5', by: 'service' })
  expect(spentToday({ service: '2', here: null })).toEqual({ amount: '2', by: 'service' })
  expect(spentToday({ service: null, here: '9.9' })).toEqual({ amount: '9.9', by: 'here' })
  expect(spentToday({ service: null, here: null })).toBeNull()
})
