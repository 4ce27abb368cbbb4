import type { Room } from '../rooms/room.ts'

export const forbidden: Room = { name: 'a store that knows a room, by type alone' }
