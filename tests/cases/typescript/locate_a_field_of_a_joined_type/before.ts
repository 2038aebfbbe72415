type Base = { id: number };

export type Props = Base & { title: string; count?: number };
