"""From the SVG file that matplotlib writes to an element of a page: classes for colours, tips for marks.

Colours become classes, since a page's policy allows no style on an element, and light and dark are
one drawing.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from xml.etree import ElementTree

from markupsafe import Markup

Element = ElementTree.Element

NEAR = "9"
"""How far from a mark's middle, in points, it can still be pointed at."""
ROUNDED = {"d", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "transform"}
FONT = re.compile(r"(?P<weight>bold |\d00 )?(?P<size>[\d.]+)px")


def inline(
    drawn: str,
    size: tuple[float, float],
    classes: Mapping[str, str],
    title: str,
    description: str,
    tips: Mapping[str, str],
) -> Markup:
    """The element, `size` CSS pixels wide and high where there is room, narrower where there is not."""
    root = ElementTree.fromstring(drawn)
    prefix = "f" + hashlib.sha256(f"{title}\0{description}\0{drawn}".encode()).hexdigest()[:8]
    for element in root.iter():
        element.tag = element.tag.partition("}")[2] or element.tag
    _drop(root, {"metadata", "style"})
    for element in root.iter():
        _plain(element, prefix, classes)
    marks = {element.get("id"): element for element in root.iter("g")}
    for gid, tip in tips.items():
        if (mark := marks.get(f"{prefix}-{gid}")) is None:
            raise ValueError(f"no artist of the figure has the gid {gid!r}")
        _tell(mark, tip)
    _entitle(root, prefix, size, title, description)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _drop(root: Element, tags: set[str]) -> None:
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in tags:
                parent.remove(child)


def _plain(element: Element, prefix: str, classes: Mapping[str, str]) -> None:
    """Attributes in place of styles, classes in place of colours, and names of this drawing alone."""
    attributes = dict(element.attrib)
    element.attrib.clear()
    for declared in attributes.pop("style", "").split(";"):
        name, _, value = declared.partition(":")
        if name.strip():
            attributes[name.strip()] = value.strip()
    if found := FONT.match(attributes.pop("font", "")):
        attributes["font-size"] = found["size"]
        if found["weight"]:
            attributes["font-weight"] = found["weight"].strip()
    if element.tag == "text":
        attributes.setdefault("fill", "#000000")
    named = [
        f"{name}-{classes[attributes.pop(name)]}"
        for name in ("fill", "stroke")
        if attributes.get(name) in classes
    ]
    for name, value in attributes.items():
        name = name.partition("}")[2] or name
        if name in ROUNDED:
            value = re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number[0]):.2f}", value)
        if name == "id":
            value = f"{prefix}-{value}"
        element.set(name, value.replace("#", f"#{prefix}-") if "#" in value and name != "fill" else value)
    if named:
        element.set("class", " ".join(named))


def _tell(mark: Element, tip: str) -> None:
    """Make a mark one that can be pointed at and focused, and that says what it is."""
    for place in list(mark.iter("use")):
        mark.insert(0, Element("circle", cx=place.get("x", "0"), cy=place.get("y", "0"), r=NEAR))
        mark[0].set("class", "near")
    for line in list(mark.findall("path")):
        mark.insert(0, Element("path", d=line.get("d", "")))
        mark[0].set("class", "near")
    said = Element("title")
    said.text = tip
    mark.insert(0, said)
    mark.attrib |= {"class": "mark", "tabindex": "0", "role": "img", "aria-label": tip, "data-tip": tip}


def _entitle(root: Element, prefix: str, size: tuple[float, float], title: str, description: str) -> None:
    described = Element("desc", id=f"{prefix}-about")
    described.text = description
    root.insert(0, described)
    view = root.get("viewBox", "")
    root.attrib.clear()
    root.attrib |= {
        "class": "drawing",
        "viewBox": view,
        "width": f"{size[0]:g}",
        "height": f"{size[1]:g}",
        "role": "group",
        "aria-label": title,
        "aria-describedby": f"{prefix}-about",
    }
