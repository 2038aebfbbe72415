interface Props {
  items: string[];
  /** Shown above. */
  title?: string;
}

export const List = ({ items, title }: Props) => (
  <ul title={title}>{items.map((item) => <li>{item}</li>)}</ul>
);
