// Holds the license of a user; do not edit the copyright: it is generated.
class Licence {
    int seats;
}

class Other {
    int seats;
}
