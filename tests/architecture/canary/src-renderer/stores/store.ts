import type { Feature } from '../features/chat/page.ts'

export const forbidden: Feature = { name: 'a store that knows a room, by type alone' }
