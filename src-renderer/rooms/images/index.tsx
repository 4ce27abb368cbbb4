import type { RoomView } from '../../room.ts'
import { ImagesInspector } from './Inspector.tsx'
import { ImagesList } from './List.tsx'
import { ImagesStage } from './Stage.tsx'

export const imagesRoom: RoomView = { List: ImagesList, Stage: ImagesStage, Inspector: ImagesInspector }
