import React, { useState } from "react";

type Props = { items: Item[]; title: string };

// <Row> of items
const label = "<Row> in a string";

/** Shows a list. */
export const List = ({ items, title }: Props) => {
  const [open, setOpen] = useState<boolean>(false);
  const toggle = () => {
    setOpen(!open);
  };
  return (
    <main className="list" id="main">
      <h1>{title}</h1>
      <Row<Item> key={0} onClick={toggle} disabled />
      <ul>
        {items.map((item) => (
          <li key={item.id}>{item.name}</li>
        ))}
      </ul>
      {open && (
        <>
          <p>
            Hello <b>big</b>, wide&nbsp;world!
            More of it.
          </p>
          <Foot.Note
            href="/a"
            title={`
  one
`}
            {...rest}
          />
        </>
      )}
      <svg:rect xlink:href="#a"></svg:rect>
      <Empty></Empty>
    </main>
  );
};

export function Page(props: { a: string }) {
  return <div><Head /><Body>text</Body> and <i>more</i></div>;
}

export default React.memo(List);
