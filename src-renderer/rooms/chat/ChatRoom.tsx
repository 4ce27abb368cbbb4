import '../../markdown/scale.css'
import './chat.css'

export { startChat } from './actions.ts'
export { ChatInspector } from './Inspector.tsx'
export { ChatList } from './List.tsx'
export { ChatStage } from './Stage.tsx'
