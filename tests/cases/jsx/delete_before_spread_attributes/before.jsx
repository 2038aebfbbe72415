import React, { useState } from "react";

// <Row> of items
const label = "<Row> in a string";

/** Shows a list. */
export const List = ({ items, title }) => {
  const [open, setOpen] = useState(false);
  const toggle = () => {
    setOpen(!open);
  };
  return (
    <main className="list" id="main">
      <h1>{title}</h1>
      <Row key={0} onClick={toggle} disabled />
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

export function Page(props) {
  return <div><Head /><Body>text</Body> and <i>more</i></div>;
}

export default React.memo(List);
