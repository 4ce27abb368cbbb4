import type { Room } from '../features/chat/page.ts'

export const forbidden: Room = { name: 'a store that knows a room, by type alone' }
