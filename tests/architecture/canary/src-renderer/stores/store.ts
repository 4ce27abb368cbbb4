import type { Page } from '../features/chat/page.ts'

export const forbidden: Page = { name: 'a store that imports from a feature, by type alone' }
