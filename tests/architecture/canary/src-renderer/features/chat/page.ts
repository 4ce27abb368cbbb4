export interface Room {
  name: string
}
